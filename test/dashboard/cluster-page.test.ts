import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { startGateway } from "../kit/gateway-command.ts";
import { testDatabase, testPostgres } from "../kit/postgres/index.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { startDashboard } from "./start-dashboard.ts";

const hasServer = (await testPostgres()) !== undefined;

test.skipIf(noBrowser || !hasServer)(
  "the page System lists the machines of a database, and what differs",
  async () => {
    await using database = await testDatabase();
    await using one = new CommandStage();
    await using two = new CommandStage();
    one.configure(`store: { url: '${database.url}' }\n`);
    two.configure(`store: { url: '${database.url}' }\nlimits: { iterations: 7 }\n`);
    const { command } = await startGateway(two);
    const address = await startDashboard(one);
    await using browser = await openTestBrowser();
    const page = await browser.open(address);
    await page.getByRole("link", { name: "System" }).click();
    const machines = page.getByRole("region", { name: "Machines", exact: true }).first();
    await machines.getByText("This one").waitFor();
    await machines.getByText(String(command.child.pid), { exact: true }).waitFor();
    await machines.getByText(/^Differs: approvals: .* \| .*Make it the same/).waitFor();
    await machines.getByText(/^PostgreSQL \d+\.\d+, /).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(browser.faults).toEqual([]);
  },
);

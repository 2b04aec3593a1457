import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { Dovecot, dovecotMissing } from "./dovecot.ts";
import { AUTHSERV, FakeEmail, proofOf } from "./fake-email.ts";

test.skipIf(dovecotMissing !== undefined)(
  `agent gateway reads a mailbox of Dovecot, through STARTTLS, and answers (${dovecotMissing ?? "it is here"})`,
  async () => {
    await using dovecot = await Dovecot.start();
    await using fake = await FakeEmail.start();
    await using stage = new CommandStage();
    const extra = {
      allow: ["ann@example.com"],
      imap_host: "localhost",
      imap_port: dovecot.port,
      imap_security: "starttls",
      authserv_id: AUTHSERV,
    };
    const block = { enabled: true, ...fake.block, extra };
    stage.configure(`platforms: ${JSON.stringify({ email: block })}\n`);
    Object.assign(stage.env, { ...fake.env, NODE_EXTRA_CA_CERTS: dovecot.certificate });
    const mail = (id: string, more = ""): string =>
      `${proofOf("ann@example.com")}\nFrom: Ann <ann@example.com>\nTo: agent@example.org\nMessage-ID: <${id}@example.com>\nSubject: \n${more}\ncount to 3\n`;
    dovecot.deliver(mail("old"));
    // Where it begins to read is noted: what comes after that is new.
    const noted = (): boolean => {
      const database = join(stage.home, "state.db");
      if (!existsSync(database)) return false;
      using state = new DatabaseSync(database, { readOnly: true });
      const found = state.prepare("SELECT value FROM records WHERE space = ? AND key = ?");
      return found.get("chat.note.email", "mailbox") !== undefined;
    };
    const gateway = stage.start(["gateway"]);
    await expect.poll(noted).toBe(true);
    dovecot.deliver(mail("one"));
    await fake.history.until(() => fake.sent.length === 1);
    expect(fake.history.messages.at(-1)).toMatchObject({
      place: "ann@example.com/<one@example.com>",
      text: expect.stringContaining("1 2 3"),
    });
    gateway.child.kill("SIGTERM");
    expect((await gateway.end).code).toBe(0);
    // What came while nobody read is read afterwards, and nothing is read twice.
    dovecot.deliver(mail("two", "References: <one@example.com>\n"));
    const next = stage.start(["gateway"]);
    await fake.history.until(() => fake.sent.length === 2);
    expect(fake.history.messages.at(-1)?.place).toBe("ann@example.com/<one@example.com>");
    next.child.kill("SIGTERM");
    expect((await next.end).code).toBe(0);
  },
);

test("without an IMAP server mails only go out, and the gateway says what receiving needs", async () => {
  await using stage = new CommandStage();
  stage.configure("platforms: {email: {enabled: true, host: 127.0.0.1, from: agent@example.org}}\n");
  const gateway = stage.start(["gateway"]);
  await new Promise<void>((resolve) => {
    let said = "";
    gateway.child.stderr.on("data", (text: string) => {
      said += text;
      if (said.includes("stays off: platforms.email.extra.imap_host is not set")) resolve();
    });
  });
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
});

test("setup tries the server with the password before it saves it", async () => {
  await using fake = await FakeEmail.start();
  await using stage = new CommandStage();
  const { baseUrl } = fake.account;
  const setup = (from: string) =>
    stage.run(["setup", "--platform", "email", "--base-url", baseUrl, "--from", from, "--key-stdin"], {
      stdin: "secret\n",
    });
  const wrong = await setup("nobody@example.org");
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("Invalid login")]);
  const right = await setup("Agent <agent>");
  expect([right.code, right.stderr]).toEqual([0, expect.stringContaining("the bot is agent")]);
  expect((await stage.ask(["doctor"])).stdout).toMatch(/email\s+agent; texts only go out/);
});

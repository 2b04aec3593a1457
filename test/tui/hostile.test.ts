import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { times } from "../kit/counts.ts";
import { callTool, reply, say, startModelServer } from "../kit/model-server/index.ts";
import { TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

/** What a terminal obeys: whole, broken, in seven and eight bits, and what reorders text. */
const payload = fc
  .tuple(
    fc.constantFrom(
      "\u001b[",
      "\u009b",
      "\u001b]0;",
      "\u001b]52;c;",
      "\u009d8;;http://x\u0007",
      "\u001bP",
      "\u0090",
      "\u001b_",
      "\u001b^",
      "\u001bX",
      "\u001b",
      "\u202e",
      "\u2066",
    ),
    fc.constantFrom(
      "2J",
      "3J",
      "?1049h",
      "?1000h",
      "?2004l",
      "?25l",
      "6n",
      "c",
      "H",
      "10A",
      "31m",
      "owned",
      "cG93bmVk",
      "7",
      "8",
    ),
    fc.constantFrom("", "\u0007", "\u001b\\", "\u009c", "\r", "\b", "\u0018"),
  )
  .map((parts) => parts.join(""));

// Finding control characters is what this is for.
/* oxlint-disable no-control-regex */
describe("text of others", () => {
  test(
    "from the model, tools, files and titles changes nothing but what is read",
    { timeout: 300_000 },
    async () => {
      const payloads = fc.sample(payload, times(10_000));
      const quarter = Math.ceil(payloads.length / 4);
      const [spoken, printed, named, titled] = [0, 1, 2, 3].map((part) =>
        payloads.slice(part * quarter, (part + 1) * quarter),
      );
      await using stage = new CommandStage();
      writeFileSync(
        join(stage.workspace, "out.txt"),
        (printed ?? []).map((each, index) => `out ${index} ${each}.`).join("\n"),
      );
      await using server = await startModelServer();
      server.script(
        reply([say("Let me see. "), callTool("terminal", { command: "cat out.txt; echo printed" })]),
        reply([
          ...say(...(spoken ?? []).map((each, index) => `said ${index} ${each}.\n\n`)),
          callTool("read_file", { path: `no-${(named ?? []).join("")}` }),
        ]),
        reply("The end."),
      );
      stage.configure(`${config(server.baseUrl)}approvals:\n  mode: "off"\n`);
      await using terminal = new TestTerminal(stage);
      const heard: string[] = [];
      terminal.screen.parser.registerOscHandler(52, (data) => heard.push(data) > 0);
      terminal.screen.onTitleChange((title) => heard.push(title));
      await terminal.shows("test-model");
      terminal.send(
        // A line that ends with a backslash goes on.
        `${`go ${(titled ?? []).join(" ").replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "")}`.slice(0, 1500)}.`,
      );
      await terminal.shows(/The end\.[\s\S]*tokens\n/);
      // The client's own title, of the session's: without what would end it.
      expect(heard.filter((each) => !/^(\* )?(agent|go [ -~]*)?( · )?[^\u0000-\u001f]*$/.test(each))).toEqual(
        [],
      );
      const { bracketedPasteMode, mouseTrackingMode } = terminal.screen.modes;
      expect({ bracketedPasteMode, mouseTrackingMode }).toEqual({
        bracketedPasteMode: true,
        mouseTrackingMode: "none",
      });
      expect(terminal.screen.buffer.active.type).toBe("normal");
      const own = /\u001b\]11;\?\u001b\\|\u001b\]2;[^\u0000-\u001f\u007f-\u009f]*\u001b\\/g;
      expect(terminal.raw.replaceAll(own, "")).not.toMatch(
        /\u001b\[[23]J|\u001b\[6n|\u001bc|\u001b\]|\u001b_|\u001bP|[\u0080-\u009f\u202e\u2066]/,
      );
      const lines = terminal.lines();
      for (const index of (spoken ?? []).keys())
        expect(
          lines.filter((line) => line.startsWith(`  said ${index} `)),
          `said ${index}`,
        ).toHaveLength(1);
      await terminal.until(() => terminal.rows()[terminal.cursor.y]?.startsWith("›") === true, "the caret");
    },
  );
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { looksOf, USUAL_LOOKS } from "../../../src/tui/state/looks.ts";

describe("the looks", () => {
  test("are the usual ones while the configuration says nothing, or nothing that can be used", () => {
    expect(looksOf({})).toEqual(USUAL_LOOKS);
    const odd = { details_mode: "much", sections: 7, thinking_mode: [], tui_compact: "on", tui_statusbar: 1 };
    expect(looksOf({ display: odd })).toEqual(USUAL_LOOKS);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("display", "model"), fc.jsonValue()), (config) => {
        expect(Object.keys(looksOf(config))).toEqual(Object.keys(USUAL_LOOKS));
      }),
    );
  });

  test("take what is said of a section before what is said of all", () => {
    const display = { details_mode: "hidden", sections: { tools: "collapsed" } };
    expect(looksOf({ display })).toMatchObject({
      thinking: "hidden",
      tools: "collapsed",
      subagents: "hidden",
    });
  });

  test("show thoughts in full to who wants them in full, and know what YAML makes of off", () => {
    expect(looksOf({ display: { thinking_mode: "full", tui_statusbar: false } })).toMatchObject({
      thinking: "expanded",
      mostThinking: Infinity,
      status: "off",
    });
  });
});

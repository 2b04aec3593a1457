import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { displaySettingsOf, DEFAULT_DISPLAY } from "../../../src/tui/state/display-settings.ts";
import { width } from "../../../src/tui/text/width.ts";
import { indicator, INDICATOR_MS } from "../../../src/tui/view/indicator.ts";

describe("the looks", () => {
  test("are the usual ones while the configuration says nothing, or nothing that can be used", () => {
    expect(displaySettingsOf({})).toEqual(DEFAULT_DISPLAY);
    const odd = {
      details_mode: "much",
      sections: 7,
      thinking_mode: [],
      tui_compact: "yes",
      tui_statusbar: 1,
    };
    expect(displaySettingsOf({ display: odd })).toEqual(DEFAULT_DISPLAY);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("display", "model"), fc.jsonValue()), (config) => {
        expect(Object.keys(displaySettingsOf(config))).toEqual(Object.keys(DEFAULT_DISPLAY));
      }),
    );
  });

  test("take what is said of a section before what is said of all", () => {
    const display = { details_mode: "hidden", sections: { tools: "collapsed" } };
    expect(displaySettingsOf({ display })).toMatchObject({
      thinking: "hidden",
      tools: "collapsed",
      subagents: "hidden",
    });
  });

  test("show thoughts in full to who wants them in full, and know what YAML makes of off", () => {
    expect(displaySettingsOf({ display: { thinking_mode: "full", tui_statusbar: false } })).toMatchObject({
      thinking: "expanded",
      mostThinking: Infinity,
      status: "off",
    });
  });

  test.each([
    ["collapsed", { thinking: "collapsed" }],
    ["truncated", { thinking: "expanded", mostThinking: 12 }],
    ["full", { thinking: "expanded", mostThinking: Infinity }],
  ])("show thoughts as thinking_mode %s says, unless the section says otherwise", (mode, shown) => {
    expect(displaySettingsOf({ display: { thinking_mode: mode } })).toMatchObject(shown);
    const sections = { thinking: "hidden" };
    expect(displaySettingsOf({ display: { thinking_mode: mode, sections } })).toMatchObject({
      thinking: "hidden",
    });
  });

  test.each(["ascii", "emoji", "kaomoji", "unicode"] as const)("turn the indicator %s in place", (kind) => {
    expect(displaySettingsOf({ display: { tui_status_indicator: kind } })).toMatchObject({ indicator: kind });
    const pictures = Array.from({ length: 20 }, (_, index) => indicator(index * INDICATOR_MS, kind));
    expect(new Set(pictures).size).toBeGreaterThan(3);
    expect(new Set(pictures.map((picture) => width(picture))).size).toBe(1);
  });
});

import { expect, test } from "vitest";
import { skinNamed, skinNames } from "../../src/rpc/gateway/skins.ts";

/** The luminance of a colour, and the contrast of two, as WCAG defines them. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = (hex.slice(1).match(/../g) ?? []).map((part) => {
    const value = Number.parseInt(part, 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const LIGHT = new Set(["github"]);
const names = skinNames({}).filter((name) => name !== "agent" && name !== "plain");

test.each(names)("what %s writes can be read on the background that it is made for", (name) => {
  const background = LIGHT.has(name) ? "#ffffff" : "#1e1e2e";
  for (const [colour, value] of Object.entries(skinNamed({}, name).colors)) {
    expect(value, colour).toMatch(/^#[0-9a-f]{6}$/);
    expect(contrast(value, background), colour).toBeGreaterThan(colour === "ui_border" ? 2 : 4.5);
  }
});

test("there are themes to choose from, and those of the owner are among them", () => {
  expect(names.length).toBeGreaterThan(6);
  expect(skinNames({ skins: { mine: {} } })).toContain("mine");
});

import { expect, test } from "vitest";
import { withoutSkills } from "../../../src/tui/text/skill-words.ts";

test("a prompt that brings a skill along is shown with its name; any other as it is", () => {
  const long = 'Use the skill review: a.ts\n\n<skill name="review">\nLook.\n\nTwice.\n</skill>';
  expect(withoutSkills(long)).toBe("Use the skill review: a.ts (skill review)");
  expect(withoutSkills(`${long}\nand more`)).toBe("Use the skill review: a.ts (skill review)\nand more");
  expect(withoutSkills('<skill name="open">\nwords')).toBe('<skill name="open">\nwords');
});

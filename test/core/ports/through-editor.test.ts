import { describe, expect, test } from "vitest";
import { type ClientFiles, currentText, type DiskText, saveText } from "../../../src/core/index.ts";

const { signal } = new AbortController();

/** A file on a disk that keeps what was done to it. */
function disk(text?: string): DiskText & { text: string | undefined; readonly writes: string[] } {
  const file = {
    text,
    writes: [] as string[],
    read: () => Promise.resolve(file.text),
    write: (next: string) => {
      file.writes.push(next);
      file.text = next;
      return Promise.resolve();
    },
  };
  return file;
}

const editor = (save: (text: string) => boolean): ClientFiles => ({
  writeText: (_path, text) => Promise.resolve(save(text)),
});

const at = (files: ClientFiles | undefined) => ({ files, path: "/work/a.txt", signal });

describe("saving through an editor", () => {
  test("without one the disk is written", async () => {
    const file = disk("old");
    expect(await saveText("new", at(undefined), file)).toBe("new");
    expect(file.writes).toEqual(["new"]);
  });

  test("an editor that saves is the only one to write", async () => {
    const file = disk("old");
    const files = editor((text) => {
      file.text = text;
      return true;
    });
    expect(await saveText("new", at(files), file)).toBe("new");
    expect(file.writes).toEqual([]);
  });

  test("an editor that formats on saving is told from one that did nothing", async () => {
    const formatted = disk("old");
    const formatter = editor((text) => {
      formatted.text = `${text}\n`;
      return true;
    });
    expect(await saveText("new", at(formatter), formatted)).toBe("new\n");
    expect(formatted.writes).toEqual([]);

    const untouched = disk("old");
    expect(await saveText("new", at(editor(() => true)), untouched)).toBe("new");
    expect(untouched.writes).toEqual(["new"]);
  });

  test("an editor that refuses, or says that it made a file and did not, leaves it to the disk", async () => {
    const refused = disk("old");
    await saveText("new", at(editor(() => false)), refused);
    expect(refused.writes).toEqual(["new"]);
    const missing = disk();
    await saveText("new", at(editor(() => true)), missing);
    expect(missing.writes).toEqual(["new"]);
  });

  test("saving what is there already counts as saved", async () => {
    const file = disk("same");
    await saveText("same", at(editor(() => true)), file);
    expect(file.writes).toEqual([]);
  });
});

describe("reading through an editor", () => {
  const showing = (text: string | undefined): ClientFiles => ({ readText: () => Promise.resolve(text) });

  test("what it shows counts, unless it has nothing", async () => {
    expect(await currentText("disk", at(showing("unsaved")))).toBe("unsaved");
    expect(await currentText("disk", at(showing(undefined)))).toBe("disk");
    expect(await currentText("disk", at(showing("")))).toBe("disk");
    expect(await currentText("disk", at(undefined))).toBe("disk");
    expect(await currentText(undefined, at(showing("only there")))).toBe("only there");
  });
});

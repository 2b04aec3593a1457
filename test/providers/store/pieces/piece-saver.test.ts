import { expect, test } from "vitest";
import type { AppendRequest } from "../../../../src/core/index.ts";
import { PieceSaver } from "../../../../src/providers/store/pieces/piece-saver.ts";
import type { PieceSink } from "../../../../src/providers/store/pieces/saved-pieces.ts";
import { logPen, titleSet } from "../../../kit/log-pen.ts";
import { piece } from "../contract/home.ts";

function stage() {
  const heard: string[] = [];
  let works = true;
  const sink: PieceSink = {
    save(fence, pieces) {
      heard.push(`${fence}: ${pieces.map(({ n, text }) => `${n} ${text}`).join()}`);
      return works;
    },
    drop: (fence) => void heard.push(`drop ${fence}`),
    clean: () => void heard.push("clean"),
    close: () => undefined,
  };
  const saver = new PieceSaver(sink);
  const pen = logPen();
  return {
    heard,
    breakSink: () => (works = false),
    mendSink: () => (works = true),
    append(more: Partial<AppendRequest>, fence: number | "given back" = 7, rows = [titleSet("x")]) {
      const request = pen.append("s", rows, { reserve: 100, ...more });
      saver.sending(request);
      saver.answered(request, { status: "ok", fence: fence === "given back" ? undefined : fence });
    },
    answered: (status: "fenced" | "gone" | "moved") =>
      saver.answered(pen.append("s", [titleSet("x")]), { status }),
    save: (cursor: number, text: string, fence = 7) =>
      saver.save({ session: "s", fence, n: 3, pieces: [piece(cursor, text)] }),
    forget: () => saver.forget("s"),
  };
}

test("text is saved at once under a lease that an append has shown to hold", () => {
  const on = stage();
  expect(on.save(10, "early")).toBe(false);
  on.append({});
  expect(on.save(10, "word")).toBe(true);
  expect(on.save(10, "word", 8)).toBe(false);
  expect(on.heard).toEqual(["7: 3 word"]);
});

test("text past the cursors that are reserved on the disk is appended, so that the append reserves more", () => {
  const on = stage();
  on.append({});
  expect(on.save(96, "last")).toBe(true);
  expect(on.save(97, "past")).toBe(false);
  // Text alone is not synced: what it asks to reserve is not on the disk.
  on.append({ fence: 7, reserve: 500 }, 7, []);
  expect(on.save(100, "still")).toBe(false);
  on.append({ fence: 7, reserve: 500, clearPieces: true });
  expect(on.save(100, "now")).toBe(true);
});

test("once text of a reply is in the database the rest of the reply goes there too", () => {
  const on = stage();
  on.append({});
  expect(on.save(10, "one")).toBe(true);
  on.append({ fence: 7, pieces: [piece(13, "two")] }, 7, []);
  expect(on.save(16, "three")).toBe(false);
  on.append({ fence: 7 });
  expect(on.save(16, "three")).toBe(false);
  on.append({ fence: 7, clearPieces: true });
  expect(on.save(16, "next reply")).toBe(true);
});

test("text of a reply that has ended is not saved at once: what came before it may be in the database, where a reader looked too early", () => {
  const on = stage();
  on.append({});
  on.append({ fence: 7, pieces: [piece(1, "one")] }, 7, []);
  on.append({ fence: 7, clearPieces: true }, 7, [titleSet("a"), titleSet("b")]);
  // Shown ahead of the append that ends the reply, as its writer thinks.
  expect(on.save(2, "two")).toBe(false);
  expect(on.save(3, "next reply")).toBe(true);
});

test("a reply whose text could not be saved at once goes on in the database, also when it could be again", () => {
  const on = stage();
  on.append({});
  on.breakSink();
  expect(on.save(10, "one")).toBe(false);
  on.mendSink();
  expect(on.save(13, "two")).toBe(false);
});

test("text is let go of once a row holds it, and when the lease is gone", () => {
  const on = stage();
  on.append({});
  on.append({ fence: 7, clearPieces: true });
  expect(on.heard).toEqual(["drop 7"]);
  for (const end of [
    () => on.answered("fenced"),
    () => on.answered("gone"),
    on.forget,
    () => on.append({}, "given back"),
  ]) {
    on.append({});
    on.heard.length = 0;
    on.answered("moved");
    expect(on.save(50, "x")).toBe(true);
    end();
    expect(on.heard.slice(1)).toEqual(["drop 7", "clean"]);
    expect(on.save(51, "x")).toBe(false);
  }
  on.append({}, 7);
  on.append({}, 9);
  expect(on.heard.slice(-2)).toEqual(["drop 7", "clean"]);
});

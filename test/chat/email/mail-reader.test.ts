import { expect, test } from "vitest";
import { JoinedBytes } from "../../../src/chat/email/reading/joined-bytes.ts";
import { type Mail, valuesOf } from "../../../src/chat/email/reading/mail.ts";
import { MailReader } from "../../../src/chat/email/reading/mail-reader.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";

const HEAD =
  "From: Ann <ann@example.com>\r\nTo: agent@example.org\r\nSubject: Many lines\r\nReceived: a\r\nReceived: b\r\n";

const reader = new MailReader(systemClock);
const read = (mail: string, signal = new AbortController().signal): Promise<Mail | undefined> =>
  reader.read(Buffer.from(mail), signal);

/** A mail with a text of lines, and a file. */
function mailOf(lines: number, file: Uint8Array): string {
  const rows =
    Buffer.from(file)
      .toString("base64")
      .match(/.{1,76}/g) ?? [];
  return [
    `${HEAD}Content-Type: multipart/mixed; boundary=edge\r\n`,
    `--edge\r\nContent-Type: text/plain\r\n\r\n${"a line\r\n".repeat(lines)}`,
    `--edge\r\nContent-Type: image/png; name=p.png\r\nContent-Transfer-Encoding: base64\r\n\r\n${rows.join("\r\n")}`,
    "--edge--\r\n",
  ].join("\r\n");
}

test("a mail says the same, whether it is short or has so many lines that a thread reads it", async () => {
  const file = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
  for (const lines of [3, 20_000]) {
    const mail = await read(mailOf(lines, file));
    if (mail === undefined) throw new Error("it is a mail");
    expect(mail).toMatchObject({ sender: "ann@example.com", senderName: "Ann", subject: "Many lines" });
    expect(mail.text).toBe("a line\n".repeat(lines).trimEnd());
    expect(valuesOf(mail, "received")).toEqual(["a", "b"]);
    expect(mail.files.map(({ name, mediaType }) => [name, mediaType])).toEqual([["p.png", "image/png"]]);
    expect(Buffer.from(mail.files[0]?.bytes ?? []).equals(file)).toBe(true);
  }
});

test("the process goes on while a mail of many lines is read, which takes its thread at most", async () => {
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  // Each line takes a hundred bytes and more to take apart: these are more than a thread gets.
  const hostile = read(`${HEAD}\r\n${"\n".repeat(10_000_000)}`);
  await expect(hostile).rejects.toMatchObject({
    code: "tool_failed",
    message: "it takes more than 256 MB of memory to read",
  });
  clearInterval(counting);
  expect(turns).toBeGreaterThan(2);
  expect((await read(`${HEAD}\r\nhello`))?.text).toBe("hello");
});

test("a reading ends with its signal", async () => {
  const controller = new AbortController();
  const reading = read(`${HEAD}\r\n${"a\n".repeat(100_000)}`, controller.signal);
  controller.abort();
  await expect(reading).rejects.toMatchObject({ code: "interrupted" });
});

test("a mail of a million short lines is read in the room that a thread has", async () => {
  const mail = await read(`${HEAD}\r\n${"ä\n".repeat(1_000_000)}`);
  expect(mail?.text).toBe("ä\n".repeat(1_000_000).trimEnd());
});

test("bytes are joined as by a Blob, whatever they come as", async () => {
  const parts = [
    Buffer.from("äb"),
    "\n",
    new TextEncoder().encode("🙂").buffer,
    "",
    Buffer.from("xyz").subarray(1),
  ];
  const joined = Buffer.from(await new JoinedBytes(parts).arrayBuffer());
  expect(joined.toString()).toBe("äb\n🙂yz");
  expect(joined.equals(Buffer.from(await new Blob(parts).arrayBuffer()))).toBe(true);
});

import { directWriter } from "../../../../src/app/process/direct-writer.ts";

/** Writes numbered lines of all lengths to stdout, faster than anybody reads; tells on stderr how the last one went. */
const { stdout, stderr } = process;
stdout.on("error", () => undefined);
const write = directWriter({ descriptor: stdout.fd, stream: stdout, write: stdout.write.bind(stdout) });
const count = Number(process.argv[2]);
const written: Promise<string>[] = [];
for (let line = 0; line < count; line += 1) {
  // Of one, two, three and four bytes, so that a pipe that is full takes a part of one.
  const text = `${line} ${"aä€🐈".repeat((line * 37) % 4000)}\n`;
  written.push(
    write(text).then(
      () => "taken",
      () => "lost",
    ),
  );
  if (line % 50 === 49) await new Promise(setImmediate);
}
const results = await Promise.all(written);
stderr.write(`${results.at(-1)}\n`);

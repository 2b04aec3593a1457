/** The least that can be a terminal client: takes the keys, draws a frame, and waits; Ctrl+C ends it. */
process.stdin.setRawMode(true).on("data", (keys) => {
  if (keys.toString() === "\u0003") process.exit();
});
process.stdout.write("\u001b[?25l› Ask anything\r\ntest-model\r\n");

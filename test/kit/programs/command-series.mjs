// The built command, again and again in one process: each message is an argument list with its environment and folder.
import { main } from "../../../dist/cli.js";

process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);

const said = { stdout: "", stderr: "" };
for (const name of ["stdout", "stderr"])
  process[name].write = (chunk, ...rest) => {
    said[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    rest.find((argument) => typeof argument === "function")?.();
    return true;
  };

process.on("message", (call) => void answer(call));
process.on("disconnect", () => process.exit(0));

async function answer({ args, env, cwd }) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  said.stdout = "";
  said.stderr = "";
  await main(args);
  process.send({ code: process.exitCode, ...said });
}

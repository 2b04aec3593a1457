import { openRpcDocument } from "../../rpc/protocol/open-rpc.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";
import { packageVersion } from "../../app/process/version.ts";

/** `agent rpc --schema`: the protocol as an OpenRPC document. */
export async function printSchema(io: Io): Promise<number> {
  await write(io.stdout, `${JSON.stringify(openRpcDocument(packageVersion()), undefined, 2)}\n`);
  return EXIT.completed;
}

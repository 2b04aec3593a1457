import { openRpcDocument } from "../../rpc/protocol/open-rpc.ts";
import { printJson } from "../terminal/output.ts";
import type { Io } from "../../app/process/io.ts";
import { packageVersion } from "../../app/process/version.ts";

/** `agent rpc --schema`: the protocol as an OpenRPC document. */
export async function printSchema(io: Io): Promise<void> {
  await printJson(io, openRpcDocument(packageVersion()));
}

import { storeContract } from "../contract/index.ts";
import { sqliteHome } from "./sqlite-home.ts";

storeContract(() => sqliteHome({ thread: "callers" }));

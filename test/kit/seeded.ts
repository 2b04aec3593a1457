import fc from "fast-check";
import { seed } from "./counts.ts";

fc.configureGlobal({ seed });

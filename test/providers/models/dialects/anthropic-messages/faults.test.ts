import { describeFaults } from "../fault-matrix.ts";
import { messages } from "./under-test.ts";

describeFaults(messages);

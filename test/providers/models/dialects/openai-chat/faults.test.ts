import { describeFaults } from "../fault-matrix.ts";
import { chatCompletions } from "./under-test.ts";

describeFaults(chatCompletions);

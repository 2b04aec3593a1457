import { describeFaults } from "../fault-matrix.ts";
import { responses } from "./under-test.ts";

describeFaults(responses);

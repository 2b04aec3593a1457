import { describeModels } from "../behaviour.ts";
import { responses } from "./under-test.ts";

describeModels(responses);

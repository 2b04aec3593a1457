import { describeModels } from "../behaviour.ts";
import { messages } from "./under-test.ts";

describeModels(messages);

export { type HandClock, handClock } from "./clock.ts";
export { conversationFaults } from "./conversation-validator.ts";
export { Machine, type TestProcess } from "./machine.ts";
export * as modelServer from "./model-server/index.ts";
export { PeakMemory } from "./peak-memory.ts";
export {
  callTool,
  fail,
  type Gate,
  gate,
  say,
  type ScriptedModel,
  scriptedModel,
  type ScriptedModelOptions,
  scriptedModelWith,
  type Step,
  think,
  used,
  wait,
} from "./scripted-model.ts";
export {
  allEvents,
  hostWith,
  outline,
  type TestHost,
  testTool,
  type TestToolOptions,
  toolsOf,
  until,
  untilTrue,
} from "./test-host.ts";

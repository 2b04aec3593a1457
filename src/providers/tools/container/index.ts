export type { ContainerEngine, ContainerProgram, ContainerSettings } from "./engine.ts";
export { containerAvailability, type ContainerOptions } from "./find-engine.ts";
export { removeContainersOf } from "./leftovers.ts";
export { openContainer, type OpenedContainer } from "./open-container.ts";

export type { KbCollection, KbDocument, KbHit, KbOutline, KbPassage, KbQuery } from "./documents.ts";
export {
  type AddedDocument,
  collectionName,
  type GivenDocument,
  type Kb,
  type KbOptions,
  openKb,
} from "./kb.ts";
export { hasDocuments } from "./mark.ts";
export { kbToolset, type KbToolsetOptions } from "./toolset.ts";

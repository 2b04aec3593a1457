export {
  citedPlace,
  type DocumentPlace,
  type KbCollection,
  type KbDocument,
  type KbHit,
  type KbOutline,
  type KbPassage,
  type KbQuery,
} from "./documents.ts";
export { type AddedDocument, type GivenDocument, type Kb, type KbOptions, openKb } from "./kb.ts";
export { hasDocuments } from "./mark.ts";
export { kbToolset, type KbToolsetOptions } from "./toolset.ts";

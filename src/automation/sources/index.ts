export type { SeenDocument, Source, SourceOutcome, SourceReading } from "./source.ts";
export { SourceReader, type SourceReaderParts } from "./source-reader.ts";
export { SourceRecords } from "./source-records.ts";
export { isAddress, type SourceDraft, Sources } from "./sources.ts";
export { SourceDocuments } from "./source-documents.ts";

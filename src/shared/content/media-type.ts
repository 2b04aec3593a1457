import { imageTypeOf } from "./image-header.ts";

const TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  htm: "text/html",
  html: "text/html",
  ics: "text/calendar",
  log: "text/plain",
  md: "text/markdown",
  txt: "text/plain",
  json: "application/json",
  pdf: "application/pdf",
  xml: "application/xml",
  zip: "application/zip",
  gz: "application/gzip",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  bmp: "image/bmp",
  svg: "image/svg+xml",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  ogg: "audio/ogg",
  wav: "audio/wav",
  mp4: "video/mp4",
  webm: "video/webm",
};

/** The media type of a file: of a picture by its bytes, of all others by the ending of their names. */
export function mediaTypeOf(name: string, bytes: Uint8Array): string {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const image = imageTypeOf(bytes);
  // Texts may begin with the two letters of bitmaps.
  if (image !== undefined && image !== "image/bmp") return image;
  return (Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined) ?? UNKNOWN;
}

const UNKNOWN = "application/octet-stream";

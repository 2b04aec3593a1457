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

/** Pictures whose bytes tell what they are. */
const PICTURES: Readonly<Record<string, string>> = {
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
};

/** The media type of a file: of a picture by its bytes, of all others by the ending of their names. */
export function mediaTypeOf(name: string, bytes: Uint8Array): string {
  const image = imageTypeOf(bytes);
  // Texts may begin with the two letters of bitmaps.
  if (image !== undefined && image !== "image/bmp") return image;
  return typeIn(TYPES, name) ?? UNKNOWN;
}

/** The media type that a file's name promises, where its bytes are not there yet. */
export function mediaTypeOfName(name: string): string {
  return typeIn(PICTURES, name) ?? typeIn(TYPES, name) ?? UNKNOWN;
}

function typeIn(types: Readonly<Record<string, string>>, name: string): string | undefined {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(types, ending) ? types[ending] : undefined;
}

const UNKNOWN = "application/octet-stream";

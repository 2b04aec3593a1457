/** A field of a form, or a file in it. */
export interface FormPart {
  /** Empty for what is no file. */
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** The parts of a `multipart/form-data` body, by their names. */
export function formParts(type: string | undefined, body: Buffer): ReadonlyMap<string, FormPart> {
  const boundary = /boundary=("?)([^";]+)\1/.exec(type ?? "")?.[2] ?? "";
  // One character a byte, so that nothing is lost.
  const parts = body.toString("latin1").split(`--${boundary}`).slice(1, -1);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf("\r\n\r\n");
      const head = Buffer.from(part.slice(0, end), "latin1").toString("utf8");
      const name = /[; ]name="([^"]*)"/.exec(head)?.[1] ?? "";
      const fileName = /filename="([^"]*)"/.exec(head)?.[1] ?? "";
      const mediaType = /^content-type: *(\S+)/im.exec(head)?.[1] ?? "";
      return [name, { fileName, mediaType, bytes: Buffer.from(part.slice(end + 4, -2), "latin1") }];
    }),
  );
}

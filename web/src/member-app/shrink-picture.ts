/** Pixels of the longer side: what models look at, and what a phone's line carries. */
const LONGEST_SIDE = 1600;
const QUALITY = 0.85;

/** Makes a picture small enough to be sent, as a data: URL. @throws Error when it is no picture */
export async function shrunkPicture(file: Blob): Promise<string> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) throw new Error("This file is no picture that can be shown here.");
  const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("The picture could not be drawn.");
  // What was transparent is white in a JPEG, not black.
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL("image/jpeg", QUALITY);
}

const two = (value: number): string => String(value).padStart(2, "0");

/** Writes a moment as the clocks here show it, to the second, with their distance from UTC: `2026-11-22 14:49:02 +01:00`. */
export function localTime(at: number): string {
  const date = new Date(at);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join("-");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  const ahead = -date.getTimezoneOffset();
  const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60];
  return `${day} ${time} ${ahead < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`;
}

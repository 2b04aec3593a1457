/** Says of commands in the background that they end when one leaves. */
export const endsWithWindow = (commands: number): string =>
  commands === 1
    ? "A command runs in the background, and ends with this window."
    : `${commands} commands run in the background, and end with this window.`;

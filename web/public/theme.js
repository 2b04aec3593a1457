// Before the first paint, so that nothing flashes: the scheme that was chosen, else the system's.
try {
  const chosen = localStorage.getItem("scheme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.scheme = chosen;
} catch {
  // A browser that keeps nothing follows the system.
}

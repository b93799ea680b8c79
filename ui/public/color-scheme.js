// Before the first paint: the colours this browser was told to use, or those of its system.
(() => {
  let wanted = null;
  try {
    wanted = localStorage.getItem('repertoire-color-scheme');
  } catch {
    // A browser that keeps nothing follows its system.
  }
  const dark = wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();

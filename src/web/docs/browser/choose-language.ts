// Runs before the page is shown, as a plain script. /docs answers in the language that the browser asks for; a reader who has chosen the
// other language before gets that one. The addresses of /docs/en and /docs/fr are taken as they are.
;(() => {
  let chosen: string | null = null
  try {
    chosen = localStorage.getItem('language')
  } catch {
    // No storage: the language of the browser stays.
  }
  const isOther = (chosen === 'en' || chosen === 'fr') && chosen !== document.documentElement.lang
  if (location.pathname === '/docs' && isOther) location.replace(`/docs/${chosen}${location.hash}`)
})()

// Runs before the page is shown, as a plain script. A reader who comes to /docs and speaks French, or has chosen it before, gets the French
// page; the address of a French page is taken as it is.
;(() => {
  let chosen: string | null = null
  try {
    chosen = localStorage.getItem('language')
  } catch {
    // No storage: the languages of the browser decide.
  }
  const spoken = navigator.languages.map((each) => each.split('-')[0]?.toLowerCase())
  const wanted = chosen ?? spoken.find((each) => each === 'en' || each === 'fr')
  if (wanted === 'fr') location.replace(`/docs/fr${location.hash}`)
})()

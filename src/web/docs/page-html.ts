// The documentation page: guides and reference as one HTML document. The style sheet shows the article that the fragment of the address
// names, so that reading needs no script.
import { html, type Html } from '../page/browser/html.ts'
import { navigationHtml, referenceHtml } from './browser/reference-html.ts'
import type { ApiReference } from './browser/read-document.ts'
import type { Texts } from './browser/texts-en.ts'
import { languages, type Language } from './languages.ts'
import type { Guide } from './guides.ts'

export const pageHtml = (
  guides: readonly Guide[],
  reference: ApiReference,
  publicUrl: string | null,
  language: Language,
): Html => {
  const t = languages[language].texts
  return html`<!doctype html>
    <html lang="${language}" ${publicUrl !== null && html` data-origin="${publicUrl}"`}>
      <head>
        <meta charset="utf-8" />
        <title>Vitrine API</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${t.description}" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        <script src="/docs/choose-language.js"></script>
        <link rel="stylesheet" href="/docs/page.css" />
        <script type="module" src="/docs/start-${language}.js"></script>
      </head>
      <body>
        <a class="skip" href="#content">${t.skip}</a>
        <header class="top">
          <a class="brand" href="#first-call"
            ><svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
              <path
                d="M3 9 5 3h14l2 6M3 9v12h18V9M3 9h18M8 21v-8h8v8"
                fill="none"
                stroke="currentColor"
                stroke-width="1.8"
                stroke-linejoin="round"
              />
            </svg>
            Vitrine <span>API v1</span></a
          >
          <button type="button" class="menu" popovertarget="navigation">${t.menu}</button>
          <div class="search needs-script" role="search">
            <input
              id="search"
              type="search"
              role="combobox"
              aria-label="${t.searchLabel}"
              aria-autocomplete="list"
              aria-expanded="false"
              aria-controls="found"
              placeholder="${t.search}"
              autocomplete="off"
              spellcheck="false"
            />
            <kbd aria-hidden="true">/</kbd>
            <div id="found" role="listbox" aria-label="${t.found}" hidden></div>
          </div>
          <div class="session needs-script">
            <span id="who" role="status"></span
            ><button type="button" id="session-button" class="open-sign-in">${t.signIn}</button>
          </div>
          ${languageLinks(language)}
        </header>
        <div class="columns">
          <nav id="navigation" popover aria-label="${t.navigation}">
            <h2>${t.guides}</h2>
            <ul>
              ${guides.map(({ name, title }) => html`<li><a href="#${name}">${title}</a></li> `)}
            </ul>
            <h2>${t.reference}</h2>
            <div id="reference-navigation">${navigationHtml(reference, t)}</div>
            <p class="file"><a href="${reference.basePath}/openapi.json">openapi.json</a></p>
          </nav>
          <main id="content" tabindex="-1">
            <p id="session-note" role="status" hidden></p>
            ${guides.map((guide) => guideArticle(guide, t))}
            <div id="reference">${referenceHtml(reference, t)}</div>
            <article id="nothing-here">
              <h1>${t.nothingHere}</h1>
              <p>${t.nothingHereText}</p>
            </article>
          </main>
        </div>
        ${signInDialog(t)}
      </body>
    </html> `
}

const languageLinks = (current: Language) =>
  Object.entries(languages).map(
    ([language, { name, path }]) =>
      language !== current &&
      html`<a class="language" href="${path}" hreflang="${language}" lang="${language}" aria-label="${name}"
        ><span>${name}</span></a
      >`,
  )

const guideArticle = ({ name, title, headings, html: body }: Guide, t: Texts) => {
  const parts = headings.filter(({ level }) => level === 2)
  return html`<article id="${name}" class="guide" data-find="${title}" data-kind="guide">
    <h1>${title}</h1>
    <div class="text">${body}</div>
    <aside class="contents">
      <h2>${t.onThisPage}</h2>
      <ul>
        ${parts.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
      </ul>
    </aside>
  </article> `
}

const signInDialog = (t: Texts) =>
  html`<dialog id="sign-in" aria-labelledby="sign-in-title">
    <form autocomplete="off" novalidate>
      <h2 id="sign-in-title">${t.signInTitle}</h2>
      <p>${t.signInText}</p>
      <p class="input">
        <label for="access-key">${t.accessKey}</label
        ><input
          id="access-key"
          name="access-key"
          type="text"
          placeholder="svc_ak_…"
          autocomplete="off"
          spellcheck="false"
          autocapitalize="none"
        />
      </p>
      <p class="input">
        <label for="security-code">${t.securityCode}</label
        ><input id="security-code" name="security-code" type="password" placeholder="svc_sk_…" autocomplete="off" />
      </p>
      <p id="sign-in-problem" class="problem" role="alert"></p>
      <p class="buttons">
        <button type="button" class="cancel">${t.cancel}</button>
        <button type="submit" class="primary">${t.signIn}</button>
      </p>
    </form>
  </dialog>`

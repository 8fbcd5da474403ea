// The documentation page: guides and reference as one HTML document. The style sheet shows the article that the fragment of the address
// names, so that reading needs no script.
import { html, type Html } from '../page/browser/html.ts'
import { navigationHtml, referenceHtml } from './browser/reference-html.ts'
import type { ApiReference } from './browser/read-document.ts'
import type { Guide } from './guides.ts'

export const pageHtml = (
  guides: readonly Guide[],
  reference: ApiReference,
  scripts: readonly string[],
  publicUrl: string | null,
): Html =>
  html`<!doctype html>
    <html lang="en" ${publicUrl !== null && html` data-origin="${publicUrl}"`}>
      <head>
        <meta charset="utf-8" />
        <title>Vitrine API</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta
          name="description"
          content="How to read a company's point-of-sale data: guides, reference, and a place to try it."
        />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/page.css" />
        ${scripts.map((name) => html`<link rel="modulepreload" href="/docs/${name}" /> `)}
        <script type="module" src="/docs/page.js"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the text</a>
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
          <button type="button" class="menu" popovertarget="navigation">Menu</button>
          <div class="search needs-script" role="search">
            <input
              id="search"
              type="search"
              role="combobox"
              aria-label="Search guides, operations, fields, parameters and errors"
              aria-autocomplete="list"
              aria-expanded="false"
              aria-controls="found"
              placeholder="Search"
              autocomplete="off"
              spellcheck="false"
            />
            <kbd aria-hidden="true">/</kbd>
            <div id="found" role="listbox" aria-label="Found" hidden></div>
          </div>
          <div class="session needs-script">
            <span id="who" role="status"></span
            ><button type="button" id="session-button" class="open-sign-in">Sign in</button>
          </div>
        </header>
        <div class="columns">
          <nav id="navigation" popover aria-label="Guides and reference">
            <h2>Guides</h2>
            <ul>
              ${guides.map(({ name, title }) => html`<li><a href="#${name}">${title}</a></li> `)}
            </ul>
            <h2>Reference</h2>
            <div id="reference-navigation">${navigationHtml(reference)}</div>
            <p class="file"><a href="${reference.basePath}/openapi.json">openapi.json</a></p>
          </nav>
          <main id="content" tabindex="-1">
            <p id="session-note" role="status" hidden></p>
            ${guides.map(guideArticle)}
            <div id="reference">${referenceHtml(reference)}</div>
            <article id="nothing-here">
              <h1>Nothing here</h1>
              <p>There is nothing of that name, or the key with which you have signed in may not use it.</p>
            </article>
          </main>
        </div>
        ${signInDialog}
      </body>
    </html> `

const guideArticle = ({ name, title, headings, html: body }: Guide) => {
  const parts = headings.filter(({ level }) => level === 2)
  return html`<article id="${name}" class="guide" data-find="${title}" data-kind="guide">
    <h1>${title}</h1>
    <div class="text">${body}</div>
    <aside class="contents">
      <h2>On this page</h2>
      <ul>
        ${parts.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
      </ul>
    </aside>
  </article> `
}

const signInDialog = html`<dialog id="sign-in" aria-labelledby="sign-in-title">
  <form autocomplete="off" novalidate>
    <h2 id="sign-in-title">Sign in with a key</h2>
    <p>
      Key and code go to this service and nowhere else. The token is kept in the memory of this page, and gone when you
      close or reload it.
    </p>
    <p class="input">
      <label for="access-key">Access key</label
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
      <label for="security-code">Security code</label
      ><input id="security-code" name="security-code" type="password" placeholder="svc_sk_…" autocomplete="off" />
    </p>
    <p id="sign-in-problem" class="problem" role="alert"></p>
    <p class="buttons">
      <button type="button" class="cancel">Cancel</button> <button type="submit" class="primary">Sign in</button>
    </p>
  </form>
</dialog>`

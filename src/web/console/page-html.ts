// The frame of the console's page; the script fills it in the language of the browser.
import { html, type Html } from '../page/browser/html.ts'

export const pageHtml = (scripts: readonly string[]): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Vitrine console</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/page.css" />
        ${scripts.map((name) => html`<link rel="modulepreload" href="/${name}" /> `)}
        <script type="module" src="/page.js"></script>
      </head>
      <body>
        <a class="skip" href="#main"></a>
        <header class="top">
          <a class="brand" href="#keys"
            ><svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
              <path
                d="M3 9 5 3h14l2 6M3 9v12h18V9M3 9h18M8 21v-8h8v8"
                fill="none"
                stroke="currentColor"
                stroke-width="1.8"
                stroke-linejoin="round"
              />
            </svg>
            Vitrine</a
          >
          <button type="button" class="menu" popovertarget="navigation" hidden></button>
          <div class="tools" hidden></div>
        </header>
        <p id="lost" role="alert" hidden></p>
        <p id="off" role="status" hidden></p>
        <div class="columns">
          <nav id="navigation" popover hidden></nav>
          <main id="main" tabindex="-1">
            <noscript
              >This page needs scripts. · Cette page a besoin de scripts. · Paj sa a bezwen script pou l
              mache.</noscript
            >
          </main>
        </div>
        <p id="told" role="status"></p>
        <dialog id="ask" aria-labelledby="ask-title"></dialog>
        <dialog id="again" aria-labelledby="again-title"></dialog>
      </body>
    </html> `

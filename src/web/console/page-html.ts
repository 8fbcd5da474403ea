// The document of the console; its script fills it in the language of the browser.
import { html, type Html } from '../page/browser/html.ts'

export const pageHtml = (script: string, style: string, icon: string): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Vitrine console</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="${icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${style}" />
        <script type="module" src="${script}"></script>
      </head>
      <body>
        <noscript
          >This page needs scripts. · Cette page a besoin de scripts. · Paj sa a bezwen script pou l mache.</noscript
        >
      </body>
    </html> `

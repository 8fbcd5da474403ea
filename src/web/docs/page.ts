// The documentation page in one language, from the catalogue and the guides. It takes up to a second.
import { sampleOrigin } from '../../describe/oauth-metadata.ts'
import { describeApi } from '../../describe/openapi/document.ts'
import { readDocument } from './browser/read-document.ts'
import { readGuides } from './guides.ts'
import type { Language } from './languages.ts'
import { pageHtml } from './page-html.ts'

export interface PageOptions {
  readonly basePath: string
  readonly publicUrl: string | null
  readonly currencies: readonly string[]
}

export function docsPage({ basePath, publicUrl, currencies }: PageOptions, language: Language): string {
  const document: unknown = JSON.parse(JSON.stringify(describeApi(null, basePath, { publicUrl, currencies })))
  const { text } = pageHtml(readGuides(language), readDocument(document), publicUrl, language)
  return publicUrl === null ? text : text.replaceAll(sampleOrigin, publicUrl)
}

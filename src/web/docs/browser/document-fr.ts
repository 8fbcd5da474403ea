// The sentences of the OpenAPI document in French. A sentence that is not here stays English; a test finds it.

const sentences: Readonly<Record<string, string>> = {}

export const sayInFrench = (text: string): string =>
  text
    .split(/(?<=\.) (?=[A-Z`])/)
    .map((sentence) => sentences[sentence] ?? sentence)
    .join(' ')

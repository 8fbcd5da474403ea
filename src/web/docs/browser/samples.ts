// A request as a program, in five languages. Token and credentials come from the environment, as in the guides.

// As in the guides: a service on this machine.
export const sampleOrigin = 'https://127.0.0.1:8443'

export const sampleLanguages = { curl: 'curl', ts: 'TypeScript', python: 'Python', php: 'PHP', csharp: 'C#' } as const
export type SampleLanguage = keyof typeof sampleLanguages

export interface SampleRequest {
  readonly method: string
  readonly url: string
  readonly needsToken: boolean
  // The form of a POST besides the credentials: values, or `$NAME` for a variable of the environment.
  readonly form: Readonly<Record<string, string>>
}

export const isSampleLanguage = (name: string): name is SampleLanguage => Object.hasOwn(sampleLanguages, name)

// What a highlighter calls the language.
export const syntaxOf = (language: SampleLanguage) => (language === 'curl' ? 'sh' : language)

export const sampleOf = (language: SampleLanguage, request: SampleRequest): string => writers[language](request)

const credentials = { client_id: '$ACCESS_KEY', client_secret: '$SECURITY_CODE' }
const lines = (...parts: (string | false)[]) => parts.filter((part) => part !== false).join('\n')

// The members of a form, each written by `write`.
const members = (form: SampleRequest['form'], indent: string, write: (name: string, value: string) => string) =>
  Object.entries({ ...form, ...credentials })
    .map(([name, value]) => `${indent}${write(name, value)},`)
    .join('\n')

const value = (text: string, quote: string, variable: (name: string) => string) =>
  text.startsWith('$') ? variable(text.slice(1)) : quote + text + quote
const written = {
  ts: (text: string) => value(text, "'", (name) => `process.env.${name} ?? ''`),
  python: (text: string) => value(text, '"', (name) => `os.environ["${name}"]`),
  php: (text: string) => value(text, "'", (name) => `getenv('${name}')`),
  csharp: (text: string) => value(text, '"', (name) => `Environment.GetEnvironmentVariable("${name}")`),
}

const writers: Readonly<Record<SampleLanguage, (request: SampleRequest) => string>> = {
  curl({ method, url, needsToken, form }) {
    const parts = [
      ...(method === 'HEAD' ? ['--head'] : []),
      ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
      ...(method === 'POST' ? ['-u "$ACCESS_KEY:$SECURITY_CODE"'] : []),
      ...Object.entries(form).map(([name, value]) => `-d "${name}=${value}"`),
      `"${url}"`,
    ]
    return `curl -s ${parts.join(' \\\n  ')}`
  },

  ts({ method, url, needsToken, form }) {
    const options = [
      ...(method === 'GET' ? [] : [`  method: '${method}',`]),
      ...(needsToken ? ['  headers: { Authorization: `Bearer ${process.env.TOKEN}` },'] : []),
      ...(method === 'POST'
        ? [
            '  body: new URLSearchParams({',
            members(form, '    ', (name, text) => `${name}: ${written.ts(text)}`),
            '  }),',
          ]
        : []),
    ]
    return lines(
      options.length === 0
        ? `const answer = await fetch('${url}')`
        : `const answer = await fetch('${url}', {\n${options.join('\n')}\n})`,
      'if (!answer.ok) throw new Error(await answer.text())',
      method === 'HEAD' ? 'console.log(answer.status)' : 'console.log(JSON.stringify(await answer.json(), null, 2))',
    )
  },

  python({ method, url, needsToken, form }) {
    const isPost = method === 'POST'
    return lines(
      method !== 'HEAD' && 'import json',
      (needsToken || isPost) && 'import os',
      isPost && 'from urllib.parse import urlencode',
      'from urllib.request import Request, urlopen',
      '',
      isPost &&
        `form = urlencode({\n${members(form, '    ', (name, text) => `"${name}": ${written.python(text)}`)}\n})`,
      'request = Request(',
      `    "${url}",`,
      needsToken && '    headers={"Authorization": "Bearer " + os.environ["TOKEN"]},',
      isPost && '    data=form.encode(),',
      method === 'HEAD' && '    method="HEAD",',
      ')',
      'with urlopen(request, timeout=30) as answer:',
      method === 'HEAD' ? '    print(answer.status)' : '    print(json.dumps(json.load(answer), indent=2))',
    )
  },

  php({ method, url, needsToken, form }) {
    const options = [
      ...(method === 'GET' ? [] : [`    'method' => '${method}',`]),
      ...(needsToken ? ["    'header' => 'Authorization: Bearer ' . getenv('TOKEN'),"] : []),
      ...(method === 'POST'
        ? [
            "    'header' => 'Content-Type: application/x-www-form-urlencoded',",
            "    'content' => http_build_query([",
            members(form, '        ', (name, text) => `'${name}' => ${written.php(text)}`),
            '    ]),',
          ]
        : []),
      "    'ignore_errors' => true,",
      "    'timeout' => 30,",
    ]
    return lines(
      '<?php',
      `$context = stream_context_create(['http' => [\n${options.join('\n')}\n]]);`,
      `$answer = file_get_contents('${url}', false, $context);`,
      method === 'HEAD' ? 'echo $http_response_header[0], "\\n";' : 'echo $answer, "\\n";',
    )
  },

  csharp({ method, url, needsToken, form }) {
    const isPost = method === 'POST'
    return lines(
      'using System;',
      isPost && 'using System.Collections.Generic;',
      'using System.Net.Http;',
      needsToken && 'using System.Net.Http.Headers;',
      '',
      'var http = new HttpClient();',
      needsToken &&
        'http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue(\n    "Bearer", Environment.GetEnvironmentVariable("TOKEN"));',
      isPost &&
        `var form = new FormUrlEncodedContent(new Dictionary<string, string>\n{\n${members(form, '    ', (name, text) => `["${name}"] = ${written.csharp(text)}`)}\n});`,
      method === 'GET' && `Console.WriteLine(await http.GetStringAsync("${url}"));`,
      isPost &&
        `var answer = await http.PostAsync("${url}", form);\nConsole.WriteLine(await answer.Content.ReadAsStringAsync());`,
      method === 'HEAD' &&
        `var answer = await http.SendAsync(new HttpRequestMessage(HttpMethod.Head, "${url}"));\nConsole.WriteLine((int)answer.StatusCode);`,
    )
  },
}

// The values of an Accept-… header with their weights (RFC 9110, section 12.4.2), in the order of the header.
export const acceptWeights = (header: string): Map<string, number> =>
  new Map(
    header.split(',').map((entry): [string, number] => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return [name, weight ? Number(weight.slice(2)) || 0 : 1]
    }),
  )

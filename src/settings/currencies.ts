// Those of the specification.
export const usualCurrencies: readonly string[] = ['USD', 'HTG']

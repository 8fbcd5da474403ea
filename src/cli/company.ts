// `vitrine company enable`, `disable` and `show`: the subscription of the company to the API.
import { commandLine, withState, type Runnable } from './command.ts'
import type { Output } from './output.ts'

const text = (isEnabled: boolean) =>
  isEnabled
    ? 'The API is on: requests are answered.'
    : 'The API is off: every request except /status gets 503 api_not_enabled.'

const show = (output: Output, isEnabled: boolean) => output.result({ enabled: isEnabled }, text(isEnabled))

const change = (name: string, summary: string, isEnabled: boolean): Runnable => ({
  name,
  summary,
  run: withState(async (state, { output }) => {
    await state.setEnabled(isEnabled, commandLine())
    show(output, isEnabled)
  }, 'create'),
})

export const companyEnable = change('company enable', 'Turns the API on for the company.', true)
export const companyDisable = change('company disable', 'Turns the API off for the company.', false)
export const companyShow: Runnable = {
  name: 'company show',
  summary: 'Shows whether the API is on for the company.',
  run: withState(async (state, { output }) => show(output, await state.isEnabled())),
}

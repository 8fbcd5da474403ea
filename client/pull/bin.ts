#!/usr/bin/env node
// The command of this package: `vitrine-pull`.
import process from 'node:process'
import { pull } from './main.ts'

process.exitCode = await pull(process.argv.slice(2))

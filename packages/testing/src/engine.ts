export { type EngineLook, ScriptedEngine, type ScriptedSlot } from './engine/scripted-engine.ts';

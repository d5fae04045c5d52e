// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package view shows a call's arguments to the person who decides on it. Nothing that runs is left out:
// characters that a screen does not show, that reorder text or that push it out of sight become marks such as
// ⟨U+202E⟩, and text that looks like a mark is marked itself. The arguments can therefore be read back from what
// was shown. The one exception is a secret that is a whole value and a single word: see [Render].
package view

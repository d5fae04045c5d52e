// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// Metadata of an encrypted payload.
const (
	encrypted = "binary/toolscope-aes-256-gcm"
	metaKey   = "toolscope-key"
)

// codec encrypts payloads with AES-256-GCM: the first key encrypts, all keys decrypt.
type codec struct{ keys []key }

var _ converter.PayloadCodec = codec{}

// newConverter makes the converter of all values that go to the server: JSON, encrypted.
func newConverter(keys []key) converter.DataConverter {
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec{keys})
}

// Encode encrypts payloads.
func (c codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		text, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		k := c.keys[0]
		out[i] = &commonpb.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encrypted), metaKey: []byte(k.id)},
			Data:     k.aead.Seal(nil, nil, text, []byte(encrypted)),
		}
	}
	return out, nil
}

var (
	errPlain   = errors.New("temporal: got a payload that is not encrypted with a key of toolscope")
	errAltered = errors.New("temporal: got a payload that was altered")
)

// Decode decrypts payloads. Plain ones are refused: only holders of a key may write. One of an unknown key stays as it
// is, which no value can be read from: a run then waits for a worker that has the key, and does not fail.
func (c codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		var err error
		if out[i], err = c.decrypt(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c codec) decrypt(p *commonpb.Payload) (*commonpb.Payload, error) {
	if string(p.GetMetadata()[converter.MetadataEncoding]) != encrypted {
		return nil, errPlain
	}
	id := string(p.GetMetadata()[metaKey])
	for _, k := range c.keys {
		if k.id != id {
			continue
		}
		text, err := k.aead.Open(nil, nil, p.GetData(), []byte(encrypted))
		if err != nil {
			return nil, errAltered
		}
		plain := new(commonpb.Payload)
		if err := proto.Unmarshal(text, plain); err != nil {
			return nil, fmt.Errorf("temporal: payload: %w", err)
		}
		return plain, nil
	}
	return p, nil
}
